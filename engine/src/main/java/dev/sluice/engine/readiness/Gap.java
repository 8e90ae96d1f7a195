package dev.sluice.engine.readiness;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.List;

/**
 * A problem for which a cutover is refused. Immutable.
 *
 * @param kind a word for programs, such as {@code rejected-changes}
 */
public record Gap(String kind, Problem problem) {

  /** The problems alone. */
  public static List<Problem> problems(List<Gap> gaps) {
    return gaps.stream().map(Gap::problem).toList();
  }

  /**
   * Refuses a cutover that has gaps.
   *
   * @throws SluiceException.Fatal with all of them
   */
  public static void require(List<Gap> gaps) {
    if (!gaps.isEmpty()) {
      throw new SluiceException.Fatal(problems(gaps));
    }
  }
}
