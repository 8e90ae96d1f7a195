package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.server.EqualAgain;

/**
 * Makes the failures for events that cannot be journaled, with their place in the log. Stateless.
 */
final class UnreadableEvent {
  private UnreadableEvent() {}

  /** For an event that was decoded and means something that cannot be journaled. */
  static SluiceException of(String what) {
    return of(what, "events that can be journaled", EqualAgain.byResync());
  }

  /** For an event that the log which was asked for cannot have. */
  static SluiceException ofAnotherLog(String what) {
    return of(what, "the log that the task has read so far", EqualAgain.WITH_ANOTHER_LOG);
  }

  private static SluiceException of(String what, String expected, String fix) {
    return new SluiceException.Fatal(new Problem("the binary log", what, expected, fix));
  }

  /** For an event whose bytes do not fit its type. */
  static SluiceException malformed(LogEvent event, RuntimeException cause) {
    return new SluiceException.Fatal(
        "an event of type %d cannot be read: %s%s"
            .formatted(event.type(), cause.getMessage(), place(event)),
        cause);
  }

  /** Adds the place of the event to a failure. */
  static SluiceException at(LogEvent event, SluiceException.Fatal failure) {
    return failure.problems().isEmpty()
        ? new SluiceException.Fatal(failure.getMessage() + place(event), failure)
        : new SluiceException.Fatal(
            failure.problems().stream().map(each -> at(event, each)).toList());
  }

  private static Problem at(LogEvent event, Problem problem) {
    return new Problem(
        problem.thing(), problem.found() + place(event), problem.expected(), problem.fix());
  }

  private static String place(LogEvent event) {
    return ", before offset " + event.end() + " of the binary log's file";
  }
}
