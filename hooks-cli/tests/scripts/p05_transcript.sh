# Continues the turn until the last message in the transcript says that everything is done.
transcript=$(sed -n 's/.*"transcript_path":"\([^"]*\)".*/\1/p')
last=$(grep '"role":"assistant"' "$transcript" | tail -n 1)
case $last in
*'all is done'*) exit 0 ;;
esac
echo 'finish the list' >&2
exit 2
