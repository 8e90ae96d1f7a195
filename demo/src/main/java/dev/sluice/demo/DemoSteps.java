package dev.sluice.demo;

import java.time.Instant;

/** What the demo does, as it is shown: commands with their output. Owned by the demo's thread. */
final class DemoSteps {
  private final DemoScreen screen;
  private final Demo.CommandLine commandLine;

  DemoSteps(DemoScreen screen, Demo.CommandLine commandLine) {
    this.screen = screen;
    this.commandLine = commandLine;
  }

  void step(String text) {
    screen.step(Instant.now(), text);
  }

  /** Shows a command and runs it to its end. */
  int command(String... words) {
    step("$ sluice " + String.join(" ", words));
    return commandLine.run(words);
  }

  void print(String text) {
    screen.print(text);
  }
}
