package dev.sluice.bench.workload;

import java.util.List;

/**
 * The shape of a backlog: its tables, their initial rows, and its transactions. Everything except
 * random values follows from a transaction's number, so that the number of changes is known before.
 * Implementations are immutable.
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
