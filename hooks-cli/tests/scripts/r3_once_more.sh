# Requests one more model call if the answer is empty.
input=$(cat)
case $input in
*'"stop_hook_active":true'*) exit 0 ;;
*'"last_assistant_message":""'*) echo '{"force_continue": true, "follow_up_message": "say something"}' ;;
esac
