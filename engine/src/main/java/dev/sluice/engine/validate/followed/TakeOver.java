package dev.sluice.engine.validate.followed;

import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.validation.RereadPoint;
import dev.sluice.sink.control.validation.RereadPoint.JournalState;
import java.util.Optional;

/** Decides whether a start may read the keys of the journal again. Stateless. */
final class TakeOver {
  private TakeOver() {}

  /** What the journal is now; empty before a checkpoint says it. */
  static Optional<JournalState> state(Checkpoint claimed, LaneStarts lanes) {
    return claimed
        .journalTopicId()
        .flatMap(
            topic ->
                claimed.source().map(source -> new JournalState(topic, source, lanes.lanes())));
  }

  /** Why what is stored does not count any more; empty if it does. */
  static Optional<String> obstacle(RereadPoint stored, JournalState now, LaneStarts lanes) {
    JournalState then = stored.journal();
    if (!then.source().equals(now.source())) {
      return Optional.of(
          "the source was %s then, and is %s".formatted(then.source(), now.source()));
    }
    if (!then.topicId().equals(now.topicId())) {
      return Optional.of("the journal's topic was created again");
    }
    if (then.lanes() != now.lanes()) {
      return Optional.of(
          "the number of lanes was %d then, and is %d".formatted(then.lanes(), now.lanes()));
    }
    if (stored.from().position().isAfter(lanes.lowest().position())) {
      return Optional.of(
          "the target was set back: it is at %s, and was at %s"
              .formatted(lanes.lowest().position(), stored.from().position()));
    }
    return Optional.empty();
  }
}
