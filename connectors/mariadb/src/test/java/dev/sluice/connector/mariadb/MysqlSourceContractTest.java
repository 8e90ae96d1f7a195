package dev.sluice.connector.mariadb;

/** MySQL as a source does what every source must do. */
@OnMysql
class MysqlSourceContractTest extends MariadbSourceContractTest {}
