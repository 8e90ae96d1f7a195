package dev.sluice.connector.generic.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.generic.database.LogEnd;
import dev.sluice.connector.generic.record.Bookmark;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AwaitedEndTest {
  private static final LogEnd AT_20 = bookmark -> (int) bookmark.offset().get("at") >= 20;

  private final AwaitedEnd end = new AwaitedEnd();

  @Test
  void theFirstPositionThatReachesTheEndIsFound() {
    end.ask();
    end.answer(AT_20);
    sent(1, 19);
    assertThat(end.isWaiting()).isTrue();
    sent(2, 20);
    sent(3, 21);
    assertThat(end.found()).contains(new Position(0, 2));
    assertThat(end.isWaiting()).isFalse();
  }

  @Test
  void whatIsSentBeforeTheAnswerIsKnownMayReachTheEnd() {
    end.ask();
    sent(1, 19);
    sent(2, 20);
    sent(3, 21);
    end.answer(AT_20);
    assertThat(end.found()).contains(new Position(0, 2));
  }

  @Test
  void whatWasSentBeforeAQuestionThatFailedDoesNotReachALaterEnd() {
    end.ask();
    sent(1, 25);
    end.fail();
    assertThat(end.isWaiting()).isFalse();
    end.ask();
    end.answer(AT_20);
    assertThat(end.found()).isEmpty();
  }

  @Test
  void aCaptureThatBeginsBeforeThePositionFindsItAgain() {
    end.ask();
    end.answer(AT_20);
    sent(2, 20);
    end.begin(new Position(0, 2));
    assertThat(end.found()).contains(new Position(0, 2));
    end.begin(new Position(0, 1));
    assertThat(end.found()).isEmpty();
    sent(5, 22);
    assertThat(end.found()).contains(new Position(0, 5));
  }

  private void sent(long position, int place) {
    end.sent(new Position(0, position), new Bookmark("", Map.of(), Map.of("at", place)));
  }
}
