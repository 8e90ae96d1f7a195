package dev.sluice.sink.sorter;

/**
 * How many transactions went to swap since the start. Immutable.
 *
 * @param byLimit because MemoryLimitTotal was reached
 * @param byAge because they were older than MemoryKeepTime
 */
public record SpillCounts(long byLimit, long byAge) {
  public static final SpillCounts NONE = new SpillCounts(0, 0);

  public long total() {
    return byLimit + byAge;
  }

  public SpillCounts plus(SpillCounts more) {
    return new SpillCounts(byLimit + more.byLimit, byAge + more.byAge);
  }

  SpillCounts plusOne(boolean tooOld) {
    return tooOld ? new SpillCounts(byLimit, byAge + 1) : new SpillCounts(byLimit + 1, byAge);
  }
}
