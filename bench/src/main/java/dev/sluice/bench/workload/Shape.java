package dev.sluice.bench.workload;

import java.util.List;

/**
 * What kind of changes a backlog is made of: its tables, the rows they begin with, and the
 * transactions that are run against them. Everything but random values follows from the number of a
 * transaction, so that the number of changes is known before. Implementations are immutable.
 */
public interface Shape {

  /** In small letters with dashes, as it is chosen by. */
  String name();

  /** With its sizes, for a heading. */
  String title();

  List<String> tables();

  /** Makes the tables, the same on source and target. */
  List<String> creation();

  /** Fills the tables, the same on source and target. */
  List<String> filling();

  long transactions();

  /** Row changes of all transactions together. */
  long changes();

  /** Declarations of variables in PL/pgSQL, for {@link #transaction}. */
  default String variables() {
    return "";
  }

  /**
   * The statements of transaction number {@code i}, an int from 1 on, in PL/pgSQL. Two transactions
   * may run at the same time and must not wait for each other in a circle.
   */
  String transaction();
}
