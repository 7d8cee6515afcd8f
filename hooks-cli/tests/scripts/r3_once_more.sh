# Has the model called once more where it said nothing.
input=$(cat)
case $input in
*'"stop_hook_active":true'*) exit 0 ;;
*'"last_assistant_message":""'*) echo '{"force_continue": true, "follow_up_message": "say something"}' ;;
esac
