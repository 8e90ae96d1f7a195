package dev.sluice.engine.readiness;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.status.StatusJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The values of the source's sequences at the cutover, which the target stores. A sequence used on
 * the source after that returns the same values as on the target, and the log does not show it.
 * Stateless.
 */
public final class SequencesSet {
  private SequencesSet() {}

  /** The values as they are stored, in the step {@link TaskStepNames#SEQUENCES}. */
  public static String text(List<SequenceState> states) {
    return textOf(
        states.stream()
            .map(
                state ->
                    new Note(
                        state.sequence(),
                        state.called() ? Optional.of(state.lastValue()) : Optional.empty()))
            .toList());
  }

  /** The same for notes; a sequence may have several. */
  static String textOf(List<Note> notes) {
    return StatusJson.write(
        notes.stream()
            .map(
                note ->
                    Arrays.<Object>asList(
                        note.sequence().schema(),
                        note.sequence().name(),
                        note.value().orElse(null)))
            .toList());
  }

  /** Reads the stored values; empty for a sequence that was not used. */
  public static Map<TableId, Optional<Long>> read(TaskContext context) {
    return context
        .steps()
        .read(context.task(), TaskStepNames.SEQUENCES)
        .map(step -> parse(step.detail()))
        .orElse(Map.of());
  }

  /**
   * Lists the sequences that returned values since, as text.
   *
   * @param now the last value of each sequence of the source
   */
  public static List<String> moved(Map<TableId, Optional<Long>> set, Map<TableId, Long> now) {
    List<String> moved = new ArrayList<>();
    set.forEach(
        (sequence, value) -> {
          Long last = now.get(sequence);
          if (last != null && !Optional.of(last).equals(value)) {
            moved.add(
                value
                    .map(from -> "%s (from %d to %d)".formatted(sequence, from, last))
                    .orElseGet(() -> "%s (to %d)".formatted(sequence, last)));
          }
        });
    return moved;
  }

  private static Map<TableId, Optional<Long>> parse(String detail) {
    Map<TableId, Optional<Long>> values = new TreeMap<>();
    notes(detail).forEach(note -> values.put(note.sequence(), note.value()));
    return values;
  }

  /**
   * A value of a sequence, as it is stored. Immutable.
   *
   * @param value empty if the sequence was not used
   */
  record Note(TableId sequence, Optional<Long> value) {}

  /** The stored values. */
  static List<Note> notes(String detail) {
    try {
      List<Note> notes = new ArrayList<>();
      for (JsonNode sequence : StatusJson.tree(detail)) {
        notes.add(
            new Note(
                new TableId(sequence.path(0).asText(), sequence.path(1).asText()),
                sequence.path(2).isNull()
                    ? Optional.empty()
                    : Optional.of(sequence.path(2).asLong())));
      }
      return notes;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: the noted sequences are no JSON: " + detail, e);
    }
  }
}
