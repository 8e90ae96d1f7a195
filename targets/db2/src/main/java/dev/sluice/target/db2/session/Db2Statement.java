package dev.sluice.target.db2.session;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.commons.dbcp2.DelegatingStatement;

/** A statement without parameters. Used by the session's thread. */
final class Db2Statement extends DelegatingStatement {
  private final Db2Session session;
  private final Statement driver;

  Db2Statement(Db2Session session, Statement driver) {
    super(session, driver);
    this.session = session;
    this.driver = driver;
  }

  @Override
  public boolean execute(String sql) throws SQLException {
    session.begins(driver);
    try {
      return super.execute(QuotedNames.in(sql));
    } finally {
      session.ended();
    }
  }

  @Override
  public ResultSet executeQuery(String sql) throws SQLException {
    session.begins(driver);
    try {
      return super.executeQuery(QuotedNames.in(sql));
    } finally {
      session.ended();
    }
  }

  @Override
  public int executeUpdate(String sql) throws SQLException {
    return Math.toIntExact(executeLargeUpdate(sql));
  }

  @Override
  public long executeLargeUpdate(String sql) throws SQLException {
    session.begins(driver);
    try {
      return driver.executeLargeUpdate(QuotedNames.in(sql));
    } finally {
      session.ended();
    }
  }
}
