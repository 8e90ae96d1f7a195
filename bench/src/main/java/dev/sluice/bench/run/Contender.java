package dev.sluice.bench.run;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.workload.Backlog;
import java.util.List;

/** One way to bring a backlog from a source to a target. Used by the benchmark's thread alone. */
public interface Contender extends AutoCloseable {

  /** As it stands in the table. */
  String name();

  /** The replication slots it needs; they are created before the backlog is written. */
  List<String> slots(int runs);

  /** Prepares the runs, once after the backlog was written; not measured. */
  default void prepare(Database source, Backlog backlog) throws Exception {}

  /**
   * Applies the complete backlog to a target that equals the source before the backlog. Nothing of
   * this run is still running when it returns.
   *
   * @param run from 1 on
   */
  Measurement drain(Database source, Database target, Backlog backlog, int run) throws Exception;

  @Override
  default void close() {}
}
