package dev.sluice.engine.cutover.hook;

import dev.sluice.config.document.Problem;
import java.util.List;
import java.util.Optional;

/**
 * What hooks did, in the order in which it happened. Immutable.
 *
 * @param results one for each step of a hook that ran
 */
public record HookReport(List<HookResult> results) {

  public HookReport {
    results = List.copyOf(results);
  }

  /** Whether no hook failed. */
  public boolean succeeded() {
    return problems().isEmpty();
  }

  /** Why hooks failed; empty if none did. */
  public List<Problem> problems() {
    return results.stream().map(HookResult::failure).flatMap(Optional::stream).toList();
  }

  /** Why applications may still be held: a hook could not let them go. */
  public List<Problem> notLetGo() {
    return results.stream()
        .filter(result -> result.action() == HookAction.RESUME)
        .map(HookResult::failure)
        .flatMap(Optional::stream)
        .toList();
  }

  /** For the cutover's report. */
  public List<String> lines() {
    return results.stream().map(HookResult::lines).flatMap(List::stream).toList();
  }
}
