# The quick start: builds outrigger, brings this stack up, and leaves the shell ready for the next command.
#
#     . examples/quickstart/start.sh
#
# It is read by the shell, not run by it, so that `outrigger`, the passphrase and the state's place are set afterwards.

cargo build --release --package outrigger-cli &&
    export PATH="$PWD/target/release:$PATH" PULUMI_CONFIG_PASSPHRASE=quickstart &&
    cd examples/quickstart &&
    mkdir -p .state &&
    export PULUMI_BACKEND_URL="file://$PWD/.state" &&
    outrigger stack select --create dev &&
    outrigger up --yes
