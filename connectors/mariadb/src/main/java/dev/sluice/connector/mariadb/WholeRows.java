package dev.sluice.connector.mariadb;

import dev.sluice.connector.api.source.UnchangedRowLogging;

/**
 * The binary log has complete old rows, as the checks require, so no table is changed. Stateless.
 */
final class WholeRows extends UnchangedRowLogging {
  @Override
  public String kind() {
    return "binlog_row_image";
  }

  @Override
  public String whyLeft() {
    return "it is a setting of the server";
  }
}
