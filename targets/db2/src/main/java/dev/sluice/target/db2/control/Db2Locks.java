package dev.sluice.target.db2.control;

import dev.sluice.sink.target.control.NamedLocks;
import dev.sluice.target.db2.session.Db2Session;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

/** Named locks, each held by a separate session. Stateless, threadsafe. */
public final class Db2Locks implements NamedLocks {
  private static final int LONGEST = 600;

  @Override
  public void lock(Connection session, String purpose, String key) throws SQLException {
    db2(session).lockUntilTransactionEnds(name(purpose, key));
  }

  @Override
  public boolean tryLock(Connection session, String purpose, String key) throws SQLException {
    return db2(session).tryLockUntilSessionEnds(name(purpose, key));
  }

  @Override
  public boolean isHeld(Connection session, String purpose, String key) throws SQLException {
    return db2(session).isHeld(name(purpose, key));
  }

  /** False: other programs take no numbered locks there. */
  @Override
  public boolean isHeld(Connection session, long number) {
    return false;
  }

  private static Db2Session db2(Connection session) throws SQLException {
    return session.unwrap(Db2Session.class);
  }

  private static String name(String purpose, String key) {
    String name = purpose + " " + key;
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= LONGEST ? name : UUID.nameUUIDFromBytes(bytes).toString();
  }
}
