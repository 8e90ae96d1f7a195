package dev.sluice.connector.mariadb;

/** The same with MySQL. */
@OnMysql
class MysqlStartTimeTest extends MariadbStartTimeTest {}
