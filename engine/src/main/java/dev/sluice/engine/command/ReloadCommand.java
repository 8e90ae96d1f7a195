package dev.sluice.engine.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "reload",
    description = {
      "Copies tables again, suspended or not, while the others continue: each is emptied on the"
          + " target (or created again if TargetTablePrepMode is DROP_AND_CREATE and it does not"
          + " fit the source's), filled from a snapshot of the source, catches up and joins the"
          + " others.",
      "PostgreSQL as a source needs one free replication slot meanwhile.",
      "Returns when the request is accepted; sluice wait waits until the tables have joined."
    },
    mixinStandardHelpOptions = true)
final class ReloadCommand implements Callable<Integer> {
  @Mixin private TableCommand tables;

  @Override
  public Integer call() {
    return tables.post("/reload");
  }
}
