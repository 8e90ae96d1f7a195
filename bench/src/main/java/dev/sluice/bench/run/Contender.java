package dev.sluice.bench.run;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.workload.Backlog;
import java.util.List;

/** One way to bring a backlog from a source to a target. Used by the benchmark's thread alone. */
public interface Contender extends AutoCloseable {

  /** As it stands in the table. */
  String name();

  /** The replication slots it needs, which are made before the backlog is written. */
  List<String> slots(int runs);

  /** What is done once, after the backlog was written, and not measured. */
  default void prepare(Database source, Backlog backlog) throws Exception {}

  /**
   * Brings the whole backlog to a target that is as the source was before it.
   *
   * @param run from 1 on
   * @return without anything of this run left at work
   */
  Measurement drain(Database source, Database target, Backlog backlog, int run) throws Exception;

  @Override
  default void close() {}
}
