package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FileEditsTest {
  private final FileEdits edits = new FileEdits();

  @Test
  void anEditIsDueOnceItStaysTheSame() {
    readAsTheyAre("old");
    assertThat(edits.areDue("old", false)).isFalse();
    assertThat(edits.areDue("half", false)).isFalse();
    assertThat(edits.areDue("new", false)).isFalse();
    assertThat(edits.areDue("new", false)).isTrue();
    edits.wereRead("new", "new");
    assertThat(edits.areDue("new", false)).isFalse();
  }

  @Test
  void anEditThatFallsWhileTheFilesAreReadIsNotMissed() {
    edits.areDue("old", false);
    assertThat(edits.areDue("old", false)).isTrue();
    edits.wereRead("old", "new");
    assertThat(edits.areDue("new", false)).isTrue();
    edits.wereRead("new", "new");
    assertThat(edits.areDue("new", false)).isFalse();
  }

  @Test
  void filesThatCannotBeUsedAreDueAtEachPoll() {
    readAsTheyAre("unsound");
    assertThat(edits.areDue("unsound", true)).isTrue();
    assertThat(edits.areDue("unsound", true)).isTrue();
  }

  private void readAsTheyAre(String stamp) {
    edits.areDue(stamp, false);
    assertThat(edits.areDue(stamp, false)).isTrue();
    edits.wereRead(stamp, stamp);
  }
}
