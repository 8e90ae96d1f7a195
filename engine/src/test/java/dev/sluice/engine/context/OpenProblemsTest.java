package dev.sluice.engine.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.status.ProblemKind;
import org.junit.jupiter.api.Test;

class OpenProblemsTest {
  private final OpenProblems problems = new OpenProblems();

  @Test
  void aProblemStaysWhileAnotherOneEnds() {
    problems.set(ProblemKind.HELD, "a hook failed");
    problems.set(ProblemKind.CUTOVER, "the target does not answer");
    problems.end(ProblemKind.CUTOVER);
    assertThat(problems.words()).contains("a hook failed");
    assertThat(problems.kinds()).containsExactly(ProblemKind.HELD);
  }

  @Test
  void allProblemsAreSaidAtOnce() {
    problems.set(ProblemKind.SOURCE_WRITTEN, "public.a 1 change");
    problems.set(ProblemKind.TASK_RETRY, "the source does not answer");
    assertThat(problems.words())
        .hasValueSatisfying(
            words -> assertThat(words).contains("public.a 1 change", "does not answer"));
  }

  @Test
  void oneOfEachKindIsSaidTheLatest() {
    problems.set(ProblemKind.TASK_RETRY, "first");
    problems.set(ProblemKind.TASK_RETRY, "second");
    assertThat(problems.words()).contains("second");
  }

  @Test
  void captureAndReplicationEndTheProblemsOfTheAttemptAndNoOthers() {
    problems.set(ProblemKind.TASK_RETRY, "the source does not answer");
    problems.set(ProblemKind.JOURNAL_FULL, "the journal is full");
    problems.set(ProblemKind.HELD, "a hook failed");
    problems.atWork();
    assertThat(problems.words()).contains("a hook failed");
  }

  @Test
  void nothingIsSaidWithoutAProblem() {
    assertThat(problems.words()).isEmpty();
  }
}
