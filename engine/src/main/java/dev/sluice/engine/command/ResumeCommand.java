package dev.sluice.engine.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "resume",
    description = {
      "Lets suspended tables catch up, once their cause is fixed. Each gets its missing changes in"
          + " order, while the others continue, and is then applied with the others.",
      "Returns when the request is accepted; sluice wait waits until the tables have joined."
    },
    mixinStandardHelpOptions = true)
final class ResumeCommand implements Callable<Integer> {
  @Mixin private TableCommand tables;

  @Override
  public Integer call() {
    return tables.post("/resume");
  }
}
