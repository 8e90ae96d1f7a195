package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;

/** A target of one kind, on which the contract of a load is tested. */
public interface LoadContractLab {

  TargetServer target();

  /**
   * Creates the schema {@code dst} again, with these tables, all empty:
   *
   * <ul>
   *   <li>{@code word}: {@code name}, a text; no key
   *   <li>{@code mark}: {@code loaded}, a number, and {@code done}, a boolean
   *   <li>{@code item}: {@code id}, a number and the key, and {@code name}, a text other than no
   *   <li>{@code part}: {@code id}, the key, and {@code item}, a foreign key to that table
   *   <li>{@code ticket}: {@code n}, a number of a sequence that the column owns
   * </ul>
   *
   * and with the sequence {@code numbers}, which counts by one from 1 and was never used.
   */
  void createTables() throws SQLException;

  /** Takes the next value of a sequence. */
  long next(TableId sequence) throws SQLException;

  /** Whether a session waits for a lock. */
  boolean isSomeoneWaiting() throws SQLException;
}
