package dev.sluice.engine.cutover.hook;

import dev.sluice.config.document.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one step of one hook did. Immutable.
 *
 * @param output what the hook reports: the end of a command's output, or a line for each instance;
 *     after a check, warnings
 * @param failure why it failed; empty if it did not
 */
public record HookResult(
    String hook, HookAction action, Duration took, List<String> output, Optional<Problem> failure) {

  public HookResult {
    output = List.copyOf(output);
  }

  /** For a report: what happened and how long it took, then its output, indented. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "hook %s, %s: %s after %d ms%s"
            .formatted(
                hook,
                action.text(),
                failure.isPresent() ? "failed" : "done",
                took.toMillis(),
                failure.map(problem -> ": " + problem.found()).orElse("")));
    output.forEach(line -> lines.add("  " + line));
    return lines;
  }
}
