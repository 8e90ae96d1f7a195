package dev.sluice.engine.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "reload",
    description = {
      "Copies tables anew, suspended or not, while the others go on: each is emptied on the target"
          + " (or made anew where TargetTablePrepMode is DROP_AND_CREATE and it does not fit the"
          + " source's), filled from a snapshot of the source, catches up and joins the others.",
      "The source needs one free replication slot meanwhile.",
      "Returns when the order is taken; sluice wait waits until the tables have joined."
    },
    mixinStandardHelpOptions = true)
final class ReloadCommand implements Callable<Integer> {
  @Mixin private TableCommand order;

  @Override
  public Integer call() throws InterruptedException {
    return order.give("/reload");
  }
}
