package dev.sluice.config.dms;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What an endpoint of DMS has and a task file has not, with what Sluice does instead. Values are
 * shown only of those that can hold no secret.
 */
enum DmsEndpointSetting {
  IDENTIFIER("EndpointIdentifier", true, "of DMS"),
  ARN("EndpointArn", true, "of DMS"),
  TYPE("EndpointType", true, "the task says which side it is"),
  DISPLAY_NAME("EngineDisplayName", true, "of DMS"),
  STATUS("Status", true, "of DMS; sluice check tries the connection"),
  READ_ONLY("IsReadOnly", true, "of DMS"),
  KMS_KEY("KmsKeyId", true, "Sluice stores no password"),
  CERTIFICATE(
      "CertificateArn",
      true,
      "write the certificate into a file, and add &sslrootcert=/path to the url",
      DmsEngine.POSTGRESQL),
  CERTIFICATE_OF_MYSQL(
      "CertificateArn",
      true,
      "write the certificate into a file, and add serverSslCert=/path to the options of the url",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  CERTIFICATE_OF_DB2(
      "CertificateArn",
      true,
      "write the certificate into a file for IBM's driver: sslCertLocation in a target's url, or"
          + " driver.sslCertLocation in source.debezium.properties and sslCertLocation in jdbc-url",
      DmsEngine.DB2,
      DmsEngine.DB2_ZOS),
  ATTRIBUTES(
      "ExtraConnectionAttributes",
      false,
      "not taken; the url takes options of PostgreSQL's driver"),
  PASSWORD("Password", false, "the task file refers to an environment variable"),
  SECRET(
      "SecretsManagerSecretId",
      true,
      "Sluice does not ask Secrets Manager; the password is an environment variable or a file"),
  SECRET_ROLE("SecretsManagerAccessRoleArn", true, "Sluice does not ask Secrets Manager"),
  ROLE("ServiceAccessRoleArn", true, "Sluice uses no role of AWS"),
  AUTHENTICATION(
      "AuthenticationMethod",
      true,
      "Sluice logs in with a password or a client certificate",
      DmsEngine.POSTGRESQL),
  AUTHENTICATION_OF_OTHERS("AuthenticationMethod", true, "Sluice logs in with a password"),
  AFTER_CONNECT(
      "AfterConnectScript",
      false,
      "not run; Sluice sets session_replication_role itself where the role may",
      DmsEngine.POSTGRESQL),
  AFTER_CONNECT_OF_OTHERS("AfterConnectScript", false, "not run; Sluice sets its sessions itself"),
  CAPTURE_DDL(
      "CaptureDdls",
      true,
      "schema changes are followed where the source's user may create event triggers"),
  DDL_SCHEMA("DdlArtifactsSchema", true, "event triggers use schema sluice_ddl"),
  MAX_FILE_SIZE(
      "MaxFileSize",
      true,
      "the load streams from COPY to COPY, without files",
      DmsEngine.POSTGRESQL),
  MAX_FILE_SIZE_OF_OTHERS("MaxFileSize", true, "not needed: rows are sent without files"),
  EXECUTE_TIMEOUT("ExecuteTimeout", true, "not taken; Sluice has limits of its own"),
  LOB_TRUNCATION(
      "FailTasksOnLobTruncation",
      true,
      "values are cut only with LimitedSizeLobMode, and counted in the status"),
  DATABASES(
      "TargetDbType",
      true,
      "not taken: a task writes to the database of target.url, and to no other. Tables of a schema"
          + " with another name come there by a rule that renames the schema",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  POLL_INTERVAL(
      "EventsPollInterval",
      true,
      "not needed: the server sends its log as it is written",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  TIME_ZONE(
      "ServerTimezone",
      true,
      "not taken: sessions are in UTC. Values of timestamp are moments, and those of datetime stay"
          + " as they are; compare some with what DMS wrote",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  LOAD_THREADS(
      "ParallelLoadThreads",
      true,
      "not taken: MaxFullLoadSubTasks is the number of sessions that load",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  CLEAN_METADATA(
      "CleanSourceMetadataOnMismatch",
      true,
      "of DMS's replication instance",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  CLEAN_METADATA_ATTRIBUTE(
      "CleanSrcMetadataOnMismatch",
      true,
      "of DMS's replication instance",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  FIRST_STATEMENT(
      "initstmt",
      false,
      "not run; Sluice sets its sessions itself",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  PARTITION_DDL(
      "skipTableSuspensionForPartitionDdl",
      true,
      "not taken: an operation on partitions is an error of its table",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  CSV(
      "loadUsingCSV",
      true,
      "not needed: rows are sent without files",
      DmsEngine.MARIADB,
      DmsEngine.MYSQL),
  CURRENT_LSN(
      "CurrentLsn",
      true,
      "not taken: reading begins with the snapshot of Debezium's connector",
      DmsEngine.DB2,
      DmsEngine.DB2_ZOS),
  START_FROM_CONTEXT(
      "StartFromContext",
      true,
      "not taken: reading begins with the snapshot of Debezium's connector",
      DmsEngine.DB2,
      DmsEngine.DB2_ZOS),
  DATA_CAPTURE(
      "SetDataCaptureChanges",
      true,
      "not taken: ASNCDC.ADDTABLE sets DATA CAPTURE CHANGES, and Sluice changes nothing on the"
          + " source",
      DmsEngine.DB2,
      DmsEngine.DB2_ZOS),
  READ_SIZE(
      "MaxKBytesPerRead",
      true,
      "not needed: Debezium's connector reads change tables, not the log",
      DmsEngine.DB2,
      DmsEngine.DB2_ZOS),
  LOAD_TIMEOUT(
      "LoadTimeout",
      true,
      "not taken; Sluice has limits of its own",
      DmsEngine.DB2,
      DmsEngine.DB2_ZOS),
  WRITE_BUFFER(
      "WriteBufferSize",
      true,
      "not needed: rows are sent without files",
      DmsEngine.DB2,
      DmsEngine.DB2_ZOS),
  KEEP_FILES(
      "KeepCsvFiles",
      true,
      "not needed: rows are sent without files",
      DmsEngine.DB2,
      DmsEngine.DB2_ZOS),
  TRIM("TrimSpaceInChar", true, "values keep their spaces"),
  HEARTBEAT("HeartbeatEnable", true, "Sluice writes no heartbeats into tables"),
  HEARTBEAT_SCHEMA("HeartbeatSchema", true, "Sluice writes no heartbeats into tables"),
  HEARTBEAT_FREQUENCY("HeartbeatFrequency", true, "Sluice writes no heartbeats into tables"),
  PLUGIN("PluginName", true, "Sluice reads the log through pgoutput"),
  SLOT(
      "SlotName",
      true,
      "not taken: Sluice makes a slot of its own. DMS's slot keeps the source's log until it is"
          + " dropped"),
  BOOLEAN("MapBooleanAsBoolean", true, "types stay as they are"),
  JSONB("MapJsonbAsClob", true, "types stay as they are"),
  LONG_TEXT("MapLongVarcharAs", true, "types stay as they are"),
  NUMERIC("MapUnboundedNumericAsString", true, "types stay as they are"),
  UNICODE("DisableUnicodeSourceFilter", true, "values are replicated unchanged in UTF-8"),
  BABELFISH("BabelfishDatabaseName", true, "Sluice knows nothing of Babelfish"),
  MODE("DatabaseMode", true, "Sluice knows nothing of Babelfish");

  /** Stands for a value that may be secret. */
  static final String HIDDEN = "(value not shown)";

  private final String key;
  private final boolean shown;
  private final String instead;

  /** That have it; none: all. */
  private final List<DmsEngine> engines;

  DmsEndpointSetting(String key, boolean shown, String instead, DmsEngine... engines) {
    this.key = key;
    this.shown = shown;
    this.instead = instead;
    this.engines = List.of(engines);
  }

  /** The note on a setting. Of one that is not known only the name is shown. */
  static String note(DmsEngine engine, String key, String value) {
    return known(engine)
        .filter(setting -> setting.key.equals(key))
        .findFirst()
        .map(setting -> setting.noteOf(value))
        .orElse(key + " " + HIDDEN + " — not taken: it has no counterpart");
  }

  /** The setting that a connection attribute is, whose letter case differs in DMS's own guides. */
  static Optional<DmsEndpointSetting> attribute(DmsEngine engine, String name) {
    return known(engine).filter(setting -> setting.key.equalsIgnoreCase(name)).findFirst();
  }

  private static Stream<DmsEndpointSetting> known(DmsEngine engine) {
    return Arrays.stream(values())
        .filter(setting -> setting.engines.isEmpty() || setting.engines.contains(engine));
  }

  String noteOf(String value) {
    return key + " " + (shown ? value : HIDDEN) + " — " + instead;
  }
}
