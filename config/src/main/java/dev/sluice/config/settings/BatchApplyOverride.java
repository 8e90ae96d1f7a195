package dev.sluice.config.settings;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  private static final String ENABLED = "BatchApplyEnabled";
  private static final String TIMEOUT_MIN = "BatchApplyTimeoutMin";
  private static final String TIMEOUT_MAX = "BatchApplyTimeoutMax";
  private static final String MEMORY_LIMIT = "BatchApplyMemoryLimit";
  private static final String SPLIT_SIZE = "BatchSplitSize";

  static final List<Setting> SETTINGS =
      List.of(
          Setting.toggle(
                  KEY,
                  ENABLED,
                  true,
                  "false: the table's changes are not compacted but applied one by one, in source"
                      + " order, in the window's transaction")
              .only(
                  false,
                  "every table of a batch task is compacted unless a rule says false, and none of a"
                      + " transactional task is"),
          ofTask(
              TIMEOUT_MIN,
              "least time between the opening and the application of a window that has changes of"
                  + " the table"),
          ofTask(TIMEOUT_MAX, "longest time that such a window stays open"),
          ofTask(
              MEMORY_LIMIT,
              "memory for the net changes of the table in one window, which closes when it is"
                  + " reached"),
          ofTask(SPLIT_SIZE, "net changes of the table that one statement carries; 0 is no limit"));

  /** The task's setting with the same range, and the meaning that it has for a table. */
  private static Setting ofTask(String name, String meaning) {
    return ChangeProcessingTuning.SETTINGS.stream()
        .filter(setting -> setting.name().equals(name))
        .findFirst()
        .map(setting -> setting.ofTable(KEY, meaning))
        .orElseThrow();
  }

  /** Reads a rule's {@code batch-apply}; empty after a problem. */
  public static Optional<BatchApplyOverride> read(Node.Mapping rule, Problems problems) {
    int before = problems.count();
    Fields fields = new Fields(rule, problems);
    Map<String, Object> given = new HashMap<>();
    for (Setting setting : SETTINGS) {
      fields
          .take(setting.name())
          .flatMap(node -> setting.valueOf(node, node.place().toString(), problems))
          .ifPresent(value -> given.put(setting.name(), value));
    }
    fields.refuseOthers();
    BatchApplyOverride read =
        new BatchApplyOverride(
            given.containsKey(ENABLED),
            Optional.ofNullable((Duration) given.get(TIMEOUT_MIN)),
            Optional.ofNullable((Duration) given.get(TIMEOUT_MAX)),
            Optional.ofNullable((DataSize) given.get(MEMORY_LIMIT)),
            given.containsKey(SPLIT_SIZE)
                ? OptionalInt.of((Integer) given.get(SPLIT_SIZE))
                : OptionalInt.empty());
    read.checkTimes(fields, problems);
    return problems.count() == before ? Optional.of(read) : Optional.empty();
  }

  private void checkTimes(Fields fields, Problems problems) {
    if (timeoutMin.isPresent()
        && timeoutMax.isPresent()
        && timeoutMin.get().compareTo(timeoutMax.get()) > 0) {
      problems.add(
          fields.placeOf(TIMEOUT_MIN),
          "BatchApplyTimeoutMin is "
              + SettingType.Seconds.text(timeoutMin.get())
              + ", BatchApplyTimeoutMax "
              + SettingType.Seconds.text(timeoutMax.get()),
          "BatchApplyTimeoutMin not above BatchApplyTimeoutMax",
          "Raise BatchApplyTimeoutMax or lower BatchApplyTimeoutMin");
    }
  }

  /** For people: {@code BatchSplitSize 1000, BatchApplyTimeoutMax 2 s}. */
  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    if (oneByOne) {
      parts.add(ENABLED + " false");
    }
    timeoutMin.ifPresent(time -> parts.add(TIMEOUT_MIN + " " + SettingType.Seconds.text(time)));
    timeoutMax.ifPresent(time -> parts.add(TIMEOUT_MAX + " " + SettingType.Seconds.text(time)));
    memoryLimit.ifPresent(size -> parts.add(MEMORY_LIMIT + " " + size));
    batchSplitSize.ifPresent(changes -> parts.add(SPLIT_SIZE + " " + changes));
    return parts.isEmpty() ? "as the task" : String.join(", ", parts);
  }
}
