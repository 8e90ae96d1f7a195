package dev.sluice.bench.dms;

import dev.sluice.bench.workload.Tpcc;
import java.util.List;

/**
 * One row of the article's table. Immutable.
 *
 * @param title as the article has it
 * @param settings that the article gives, as a task file has them
 * @param sets of tables, one task each
 */
public record DmsTest(String name, String title, String settings, List<List<String>> sets) {
  private static final String SAMPLE_RUN =
      "{TargetMetadata: {BatchApplyEnabled: true}, ChangeProcessingTuning:"
          + " {BatchApplyPreserveTransaction: true, BatchApplyTimeoutMin: 1, BatchApplyTimeoutMax:"
          + " 2, BatchApplyMemoryLimit: 1000, BatchSplitSize: 15000, MinTransactionSize: 1000,"
          + " CommitTimeout: 1, MemoryLimitTotal: 32768, MemoryKeepTime: 1000, StatementCacheSize:"
          + " 100}}";

  private static final String CONTINUOUS =
      "{TargetMetadata: {BatchApplyEnabled: true}, ChangeProcessingTuning:"
          + " {BatchApplyPreserveTransaction: true, BatchApplyTimeoutMin: 1, BatchApplyTimeoutMax:"
          + " 1, BatchApplyMemoryLimit: 2000, BatchSplitSize: 18000, MinTransactionSize: 1000,"
          + " CommitTimeout: 1, MemoryLimitTotal: 32768, MemoryKeepTime: 4000, StatementCacheSize:"
          + " 100}}";

  /** The four rows of the article's table, with the settings that it gives, and ours. */
  public static final List<DmsTest> ALL =
      List.of(
          new DmsTest(
              "default",
              "Using default settings",
              "{TargetMetadata: {BatchApplyEnabled: true}}",
              List.of(Tpcc.TABLES)),
          new DmsTest("sample", "Use custom settings", SAMPLE_RUN, List.of(Tpcc.TABLES)),
          new DmsTest(
              "continuous",
              "Use custom settings with continuous load batches",
              CONTINUOUS,
              List.of(Tpcc.TABLES)),
          new DmsTest(
              "split",
              "Use custom settings with tasks split and continuous load batches",
              CONTINUOUS,
              Tpcc.SETS),
          new DmsTest(
              "auto",
              "Windows that tune themselves",
              "{TargetMetadata: {BatchApplyEnabled: true}, ChangeProcessingTuning:"
                  + " {BatchApplyTimeoutMin: auto}}",
              List.of(Tpcc.TABLES)));
}
