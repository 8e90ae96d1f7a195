package dev.sluice.engine.daemon;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.capture.DaemonLocation;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.ControlVersion;
import dev.sluice.sink.control.task.DaemonPresence;

/**
 * Requires that no daemon of a task runs, on any host: with a copied task file it may use another
 * data directory. Stateless.
 */
public final class NoDaemon {
  private NoDaemon() {}

  /**
   * A daemon's session on the target ends shortly after the daemon, so this waits for a moment.
   *
   * @param expected for the message
   * @param fix for the message
   * @return a presence that keeps daemons from starting until it is closed
   * @throws SluiceException.Fatal if a daemon runs, or a newer Sluice has written what the task
   *     remembers; nothing is changed
   */
  public static DaemonPresence require(TaskContext context, String expected, String fix) {
    ControlVersion.require(context.target(), context.controlSchema());
    DaemonPresence presence =
        new DaemonPresence(context.target(), context.controlSchema(), context.task());
    if (!presence.show(DaemonLocation.SESSION_END)) {
      throw new SluiceException.Fatal(
          new Problem(
              "task " + context.task(),
              "a daemon of it runs"
                  + context
                      .ownership()
                      .read()
                      .map(
                          begun ->
                              ", on host %s with data-dir %s"
                                  .formatted(begun.host(), begun.dataDirectory()))
                      .orElse(" elsewhere"),
              expected,
              fix));
    }
    return presence;
  }
}
