package dev.sluice.config.dms;

import java.util.Arrays;
import java.util.Optional;

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
      "write the certificate into a file, and add &sslrootcert=/path to the url"),
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
      "AuthenticationMethod", true, "Sluice logs in with a password or a client certificate"),
  AFTER_CONNECT(
      "AfterConnectScript",
      false,
      "not run; Sluice sets session_replication_role itself where the role may"),
  CAPTURE_DDL(
      "CaptureDdls",
      true,
      "schema changes are followed where the source's user may create event triggers"),
  DDL_SCHEMA("DdlArtifactsSchema", true, "event triggers use schema sluice_ddl"),
  MAX_FILE_SIZE("MaxFileSize", true, "the load streams from COPY to COPY, without files"),
  EXECUTE_TIMEOUT("ExecuteTimeout", true, "not taken; Sluice has limits of its own"),
  LOB_TRUNCATION(
      "FailTasksOnLobTruncation",
      true,
      "values are cut only with LimitedSizeLobMode, and counted in the status"),
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

  private final String key;
  private final boolean shown;
  private final String instead;

  DmsEndpointSetting(String key, boolean shown, String instead) {
    this.key = key;
    this.shown = shown;
    this.instead = instead;
  }

  /** The note on a setting. Of one that is not known only the name is shown. */
  static String note(String key, String value) {
    Optional<DmsEndpointSetting> known =
        Arrays.stream(values()).filter(setting -> setting.key.equals(key)).findFirst();
    return key
        + " "
        + (known.filter(setting -> setting.shown).isPresent() ? value : "(value not shown)")
        + " — "
        + known.map(setting -> setting.instead).orElse("not taken: it has no counterpart");
  }
}
