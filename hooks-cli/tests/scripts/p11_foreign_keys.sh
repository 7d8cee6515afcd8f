# Denies if the input has keys of another host.
case $(cat) in
*'"user_prompt"'* | *'"tool_output"'* | *'"turn_id"'*) echo 'a key of another host' >&2 && exit 2 ;;
esac
