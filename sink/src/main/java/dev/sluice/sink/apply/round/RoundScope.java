package dev.sluice.sink.apply.round;

import dev.sluice.config.TableId;
import java.util.Set;

/**
 * Which changes of a round are applied, and what is counted.
 *
 * @param suspended source tables whose changes are skipped; read again in each round
 * @param catchesUp true in a catch-up lane, which applies the changes of one table
 * @param countsBytes whether to count the bytes of the rows
 */
public record RoundScope(Set<TableId> suspended, boolean catchesUp, boolean countsBytes) {

  /** The changes of all tables. */
  public static final RoundScope ALL = new RoundScope(Set.of(), false, false);
}
