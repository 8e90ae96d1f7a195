package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.TableOutline;
import java.util.List;
import java.util.stream.Stream;

/**
 * How a target makes one of the source's tables. Immutable.
 *
 * @param body the columns and the key, as they stand in CREATE TABLE
 * @param indexes the other indexes, each as it stands in CREATE TABLE
 * @param steps what comes after the rows: indexes, and one skipped step for each part that is not
 *     created
 * @param constraints what comes when nothing more is applied, likewise
 * @param problems why the table cannot be made; empty if it can
 */
public record MadeTable(
    TableOutline outline,
    String body,
    List<String> indexes,
    List<CompletionStep> steps,
    List<CompletionStep> constraints,
    List<Problem> problems) {
  public MadeTable {
    indexes = List.copyOf(indexes);
    steps = List.copyOf(steps);
    constraints = List.copyOf(constraints);
    problems = List.copyOf(problems);
  }

  /** Its name on the target. */
  public TableId table() {
    return outline.table();
  }

  /**
   * The parts of the source's table that are not created, for messages; empty if there are none.
   */
  public List<String> leftOut() {
    return Stream.concat(steps.stream(), constraints.stream())
        .filter(step -> step.skipped().isPresent())
        .map(step -> step.name() + ": " + step.skipped().orElseThrow())
        .toList();
  }

  /**
   * The problem that the target rejects the definition.
   *
   * @param type of the target
   * @param objection in the target's words
   */
  public Problem notTaken(String type, String objection) {
    return new Problem(
        "table " + outline.source(),
        "the target does not take it: " + objection,
        "a table that %s takes: %s".formatted(type, body),
        "Create it on the target by hand, and set TRUNCATE_BEFORE_LOAD or DO_NOTHING; or deselect"
            + " it");
  }
}
