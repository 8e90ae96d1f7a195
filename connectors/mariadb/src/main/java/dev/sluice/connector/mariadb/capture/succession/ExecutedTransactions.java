package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.GtidSet;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Transactions that a server has executed. Immutable.
 *
 * @param ofMariadb the last one of each server in each domain; empty for MySQL
 * @param ofMysql a {@link GtidSet}; empty for MariaDB
 */
record ExecutedTransactions(List<Gtid> ofMariadb, String ofMysql) {
  static ExecutedTransactions ofMariadb(String gtids) {
    return new ExecutedTransactions(Gtid.parseAll(gtids), "");
  }

  static ExecutedTransactions ofMysql(String set) {
    return new ExecutedTransactions(List.of(), set);
  }

  /** The transactions in a server's log, whichever server executed them first. */
  static ExecutedTransactions read(MariadbQuery query) throws SQLException {
    boolean mysql = query.flavour() == Flavour.MYSQL;
    String found =
        query.row("SELECT @@global." + (mysql ? "gtid_executed" : "gtid_binlog_state"))
            .orElseThrow()[0];
    String text = found == null ? "" : found;
    return mysql ? ofMysql(text) : ofMariadb(text);
  }

  /** The transactions that the other side lacks. */
  ExecutedTransactions without(ExecutedTransactions others) {
    return new ExecutedTransactions(
        ofMariadb.stream()
            .filter(
                each ->
                    others.ofMariadb.stream()
                        .noneMatch(
                            other -> other.isOfSameOrigin(each) && other.number() >= each.number()))
            .toList(),
        GtidSet.parse(ofMysql).without(GtidSet.parse(others.ofMysql)).toString());
  }

  boolean isEmpty() {
    return ofMariadb.isEmpty() && ofMysql.isEmpty();
  }

  @Override
  public String toString() {
    return ofMysql.isEmpty()
        ? ofMariadb.stream().map(Gtid::toString).collect(Collectors.joining(", "))
        : ofMysql;
  }
}
