package dev.sluice.config.settings;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The apply settings of one table, from a table-settings rule; an empty value means the task's
 * setting. Immutable.
 *
 * @param oneByOne true for BatchApplyEnabled false: the table's changes are not compacted
 * @param timeoutMin for windows with changes of the table
 * @param timeoutMax for windows with changes of the table
 * @param memoryLimit for the net changes of the table in one window
 * @param batchSplitSize changes of the table that one statement carries; 0 is no limit
 */
public record BatchApplyOverride(
    boolean oneByOne,
    Optional<Duration> timeoutMin,
    Optional<Duration> timeoutMax,
    Optional<DataSize> memoryLimit,
    OptionalInt batchSplitSize) {

  public static final String KEY = "batch-apply";

  static final Section SECTION = new Section(KEY);

  private static final Setting<Boolean> ENABLED =
      SECTION.add(
          Setting.toggle(
                  "BatchApplyEnabled",
                  true,
                  "false: the table's changes are not compacted but applied one by one, in source"
                      + " order, in the window's transaction")
              .only(
                  false,
                  "every table of a batch task is compacted unless a rule says false, and none of a"
                      + " transactional task is"));

  private static final Setting<Duration> TIMEOUT_MIN =
      SECTION.add(
          Setting.seconds(
              ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN.name(),
              "0",
              ChangeProcessingTuning.DAY,
              "1",
              "least time from a window with changes to the next one, if that has changes of the"
                  + " table"));

  private static final Setting<Duration> TIMEOUT_MAX =
      SECTION.add(
          ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX.ofTable(
              "longest time that such a window stays open"));

  private static final Setting<DataSize> MEMORY_LIMIT =
      SECTION.add(
          ChangeProcessingTuning.BATCH_APPLY_MEMORY_LIMIT.ofTable(
              "memory for the net changes of the table in one window, which closes when it is"
                  + " reached"));

  private static final Setting<Integer> SPLIT_SIZE =
      SECTION.add(
          ChangeProcessingTuning.BATCH_SPLIT_SIZE.ofTable(
              "net changes of the table that one statement carries; 0 is no limit"));

  BatchApplyOverride completedBy(Duration longest) {
    return timeoutMin.isPresent() && timeoutMax.isEmpty()
        ? new BatchApplyOverride(
            oneByOne, timeoutMin, Optional.of(longest), memoryLimit, batchSplitSize)
        : this;
  }

  /** Reads a rule's {@code batch-apply}; empty after a problem. */
  public static Optional<BatchApplyOverride> read(Node.Mapping rule, Problems problems) {
    int before = problems.count();
    Fields fields = new Fields(rule, problems);
    SettingValues given = SettingValues.NONE;
    for (Setting<?> setting : SECTION.settings()) {
      given = withValue(setting, fields, given, problems);
    }
    fields.refuseOthers();
    BatchApplyOverride read =
        new BatchApplyOverride(
            given.of(ENABLED).isPresent(),
            given.of(TIMEOUT_MIN),
            given.of(TIMEOUT_MAX),
            given.of(MEMORY_LIMIT),
            given.of(SPLIT_SIZE).map(OptionalInt::of).orElseGet(OptionalInt::empty));
    read.checkTimes(fields, problems);
    return problems.count() == before ? Optional.of(read) : Optional.empty();
  }

  private static <T> SettingValues withValue(
      Setting<T> setting, Fields fields, SettingValues given, Problems problems) {
    return fields
        .take(setting.name())
        .flatMap(node -> setting.valueOf(node, node.place().toString(), problems))
        .map(value -> given.with(setting, value))
        .orElse(given);
  }

  private void checkTimes(Fields fields, Problems problems) {
    if (timeoutMin.isPresent()
        && timeoutMax.isPresent()
        && timeoutMin.get().compareTo(timeoutMax.get()) > 0) {
      problems.add(
          fields.placeOf(TIMEOUT_MIN.name()),
          "BatchApplyTimeoutMin is "
              + SecondsType.text(timeoutMin.get())
              + ", BatchApplyTimeoutMax "
              + SecondsType.text(timeoutMax.get()),
          "BatchApplyTimeoutMin not above BatchApplyTimeoutMax",
          "Raise BatchApplyTimeoutMax or lower BatchApplyTimeoutMin");
    }
  }

  /** For messages: {@code BatchSplitSize 1000, BatchApplyTimeoutMax 2 s}. */
  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    if (oneByOne) {
      parts.add(ENABLED.name() + " false");
    }
    timeoutMin.ifPresent(time -> parts.add(TIMEOUT_MIN.name() + " " + SecondsType.text(time)));
    timeoutMax.ifPresent(time -> parts.add(TIMEOUT_MAX.name() + " " + SecondsType.text(time)));
    memoryLimit.ifPresent(size -> parts.add(MEMORY_LIMIT.name() + " " + size));
    batchSplitSize.ifPresent(changes -> parts.add(SPLIT_SIZE.name() + " " + changes));
    return parts.isEmpty() ? "as the task" : String.join(", ", parts);
  }
}
