package dev.sluice.engine.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import org.junit.jupiter.api.Test;

class PhaseTrackerTest {
  private final PhaseTracker life = new PhaseTracker("orders", Clock.systemUTC());

  @Test
  void phasesAreSpelledInLowerCaseWithDashes() {
    assertThat(Phase.FULL_LOAD.text()).isEqualTo("full-load");
    assertThat(Phase.CUT_OVER.text()).isEqualTo("cut-over");
  }

  @Test
  void aPhaseThatCannotFollowIsOurOwnError() {
    assertThatThrownBy(() -> life.enter(Phase.CUT_OVER, "too early"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("BUG:")
        .hasMessageContaining("starting");
    assertThat(life.phase()).isEqualTo(Phase.STARTING);
  }

  @Test
  void theReasonIsKeptWithThePhase() {
    life.enter(Phase.CHECKING, "the task file is read");
    assertThat(life.state().reason()).isEqualTo("the task file is read");
  }

  @Test
  void aPhaseThatHasEndedMeanwhileIsNotLeftAgain() {
    life.enter(Phase.CHECKING, "");
    assertThat(life.enterFrom(Phase.CUTTING_OVER, Phase.REPLICATING, "")).isFalse();
    assertThat(life.phase()).isEqualTo(Phase.CHECKING);
  }

  @Test
  void aPhaseThatIsToBeKeptIsNotLeft() {
    life.enter(Phase.CHECKING, "");
    life.enterUnless(Phase.CHECKING, Phase.PREPARING, "too late");
    assertThat(life.phase()).isEqualTo(Phase.CHECKING);
    life.enterUnless(Phase.CUTTING_OVER, Phase.PREPARING, "in time");
    assertThat(life.phase()).isEqualTo(Phase.PREPARING);
  }

  @Test
  void everyPhaseMayFailButTheLast() {
    for (Phase phase : Phase.values()) {
      boolean last = phase == Phase.STOPPED || phase == Phase.FAILED;
      assertThat(phase.mayBecome(Phase.FAILED)).as(phase.text()).isEqualTo(!last);
    }
  }
}
