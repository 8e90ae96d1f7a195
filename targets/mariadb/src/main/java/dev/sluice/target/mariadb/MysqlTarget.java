package dev.sluice.target.mariadb;

/** MySQL as a type of target. Immutable. */
public final class MysqlTarget extends MariadbTarget {

  /** For the service that finds it. */
  public MysqlTarget() {
    super(MariadbDialect.MYSQL);
  }
}
