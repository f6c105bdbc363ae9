// The hidden `__worker` subcommand: a process that holds one backend and answers the coordinator's requests.
#pragma once

#include "worker/backend.h"

namespace warptune {

// Serves requests on the inherited socket until the socket closes. Returns the exit code. The backend is made at the
// first request, so that a missing device is reported in a reply.
int worker_main(int argc, const char* const* argv, MakeBackend make_backend);

} // namespace warptune
