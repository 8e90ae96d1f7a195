package dev.sluice.connect.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import org.junit.jupiter.api.Test;

final class SourceSequenceTest {
  @Test
  void theFirstNumberIsTheLastCommit() {
    assertThat(SourceSequence.lastCommit("[\"24023119\",\"24023128\"]"))
        .contains(new Position(24_023_119));
    assertThat(SourceSequence.lastCommit("[ \"7\" , \"8\" ]")).contains(new Position(7));
    assertThat(SourceSequence.lastCommit("[\"7\",null]")).contains(new Position(7));
    assertThat(SourceSequence.lastCommit("[\"18446744073709551615\",\"8\"]"))
        .contains(new Position(-1));
  }

  @Test
  void aNullIsZero() {
    assertThat(SourceSequence.lastCommit("[null,\"24023128\"]")).contains(Position.ZERO);
    assertThat(SourceSequence.lastCommit("[null,null]")).contains(Position.ZERO);
  }

  @Test
  void otherFormsAreNone() {
    for (String text :
        new String[] {
          "",
          "17",
          "[]",
          "[\"\",\"8\"]",
          "[\"7\",\"\"]",
          "[\"7x\",\"8\"]",
          "[\"7\",\"8\"",
          "[\"7\",\"8\",\"9\"]"
        }) {
      assertThat(SourceSequence.lastCommit(text)).as(text).isEmpty();
    }
  }
}
