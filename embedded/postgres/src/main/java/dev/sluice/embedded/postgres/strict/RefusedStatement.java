package dev.sluice.embedded.postgres.strict;

/**
 * An error that the client gets instead of the server's answer. Immutable.
 *
 * @param state its SQLSTATE
 */
record RefusedStatement(String state, String message) {

  static RefusedStatement unsupported(String what) {
    return new RefusedStatement("0A000", what + " not supported yet");
  }

  /** The error as a message to the client. */
  WireMessage toMessage() {
    return WireMessage.of('E', new byte[1], "SERROR", "VERROR", "C" + state, "M" + message);
  }
}
