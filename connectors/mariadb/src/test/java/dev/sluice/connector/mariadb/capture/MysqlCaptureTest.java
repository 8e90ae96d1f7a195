package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.OnMysql;

/** The same with MySQL. */
@OnMysql
class MysqlCaptureTest extends MariadbCaptureTest {}
