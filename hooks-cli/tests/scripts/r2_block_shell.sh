# Denies commands that remove everything.
case $(cat) in
*'rm -rf'*) echo '{"blockingError": "nothing is removed here"}' ;;
esac
