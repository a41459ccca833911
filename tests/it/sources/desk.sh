# A server of MCP in a few lines: offers tools.json, answers calls with result.json, and writes down what it was sent.
printf 'start\n' >> starts.txt
printf 'desk: ready\n' >&2
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"desk","version":"1.0"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
      printf 'list\n' >> lists.txt
      if [ -e slow ]; then sleep 1; fi
      if [ -e refuse ]; then
        rm refuse
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"not now"}}\n' "$id"
        continue
      fi
      printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}\n' "$id" "$(cat tools.json)" ;;
    *'"method":"tools/call"'*)
      printf '%s\n' "$line" >> calls.txt
      if [ -e die ]; then rm die; printf 'desk: it burns\n' >&2; exit 3; fi
      if [ -e hang ]; then sleep 60; fi
      if [ -e flood ]; then head -c 40000000 /dev/zero | tr '\0' x; sleep 60; fi
      env > env.txt
      printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$(cat result.json)" ;;
  esac
done
