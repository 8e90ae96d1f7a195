package dev.sluice.engine.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "resume",
    description = {
      "Lets suspended tables catch up, once what was wrong with them is mended: each gets the changes"
          + " that it lacks, in their order, while the others go on, and joins them then.",
      "Returns when the order is taken; sluice wait waits until the tables have joined."
    },
    mixinStandardHelpOptions = true)
final class ResumeCommand implements Callable<Integer> {
  @Mixin private TableCommand order;

  @Override
  public Integer call() throws InterruptedException {
    return order.give("/resume");
  }
}
