#!/bin/sh
# What the Lambda Web Adapter starts in place of a handler; the layers lie under /opt.
cd "$LAMBDA_TASK_ROOT" || exit 1
export PYTHONPATH="/opt/python:$LAMBDA_TASK_ROOT:$LAMBDA_RUNTIME_DIR"
exec python3 -m functions.stream.handler
