package dev.sluice.connector.mariadb.capture.stream;

import com.github.shyiko.mysql.binlog.network.AuthenticationException;
import com.github.shyiko.mysql.binlog.network.ServerException;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.server.EqualAgain;
import java.io.IOException;
import java.util.Set;

/** Classifies failures of reading the binary log. Stateless. */
public final class LogFailures {
  /** ER_MASTER_FATAL_ERROR_READING_BINLOG: the place does not exist, or the log is damaged. */
  private static final int CANNOT_READ = 1236;

  /** ER_ACCESS_DENIED_ERROR, ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_DBACCESS_DENIED_ERROR. */
  private static final Set<Integer> DENIED = Set.of(1044, 1045, 1227, 1698);

  /** The client's text for an authentication plugin that it does not have, such as ed25519. */
  private static final String UNKNOWN_LOGIN = "unsupported authentication method";

  private LogFailures() {}

  public static SluiceException classify(Throwable error) {
    if (error instanceof SluiceException known) {
      return known;
    }
    if (error instanceof ServerException refused) {
      if (refused.getErrorCode() == CANNOT_READ) {
        return new SluiceException.Fatal(
            new Problem(
                "the binary log",
                "the server cannot send it: " + refused.getMessage(),
                expected(refused.getMessage()),
                EqualAgain.byResync()));
      }
      return DENIED.contains(refused.getErrorCode()) ? denied(refused) : retryable(refused);
    }
    if (error instanceof RefusedLogin refused) {
      return new SluiceException.Fatal(
          new Problem(
              "the source's user",
              "the binary log cannot be read with its login without TLS: the server asks for "
                  + refused.getMessage(),
              "a user of mysql_native_password, or a connection with TLS: without it other logins may"
                  + " reveal the password, also to somebody who answers in the server's place",
              "Alter the user, or add ?sslMode=verify-ca&serverSslCert=FILE to source.url"));
    }
    if (error instanceof AuthenticationException) {
      return String.valueOf(error.getMessage()).contains(UNKNOWN_LOGIN)
          ? new SluiceException.Fatal(
              new Problem(
                  "the source's user",
                  "the binary log cannot be read with its login: " + error.getMessage(),
                  "a user with a password alone (MariaDB: mysql_native_password, MySQL:"
                      + " caching_sha2_password)",
                  "Alter the user, or create another one for the task"))
          : denied(error);
    }
    return error instanceof IOException
        ? retryable(error)
        : new SluiceException.Fatal("reading the binary log failed: " + error, error);
  }

  private static String expected(String found) {
    if (String.valueOf(found).contains("truncated")) {
      return "a file without an event that was cut off, as by a crash of the server";
    }
    return "the file with the position that the journal has reached: binlog_expire_logs_seconds"
        + " says how long files are kept";
  }

  private static SluiceException denied(Throwable error) {
    return new SluiceException.Fatal(
        new Problem(
            "the source's user",
            "the server refuses to send the binary log: " + error.getMessage(),
            "a login with the right REPLICATION SLAVE",
            "Correct user and password, or run GRANT REPLICATION SLAVE ON *.* TO the user"));
  }

  private static SluiceException retryable(Throwable error) {
    return new SluiceException.Retryable(
        "reading the binary log failed: " + error.getMessage(), error);
  }
}
