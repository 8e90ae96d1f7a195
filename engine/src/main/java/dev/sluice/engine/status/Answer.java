package dev.sluice.engine.status;

/**
 * An answer to a request.
 *
 * @param code of HTTP
 * @param then run after it is sent, since the end of the task also closes the server
 */
record Answer(int code, String text, Runnable then) {
  Answer(int code, String text) {
    this(code, text, () -> {});
  }

  static Answer of(TaskControl.Outcome outcome) {
    return new Answer(outcome.success() ? 200 : 409, StatusJson.write(outcome));
  }

  static Answer refusal(int code, String message) {
    return new Answer(code, StatusJson.write(new RefusedRequest(message)));
  }
}
