package dev.sluice.embedded.postgres;

import io.zonky.test.db.postgres.embedded.PgBinaryResolver;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * The PostgreSQL versions that can be started. The newest is a library of this module. The older
 * one is for tests, from a jar that the system property {@code sluice.postgres.older} names.
 */
public enum PostgresVersion {
  NEWEST,
  OLDER,
  /** The version installed on the machine, if any; see {@link #isAvailable}. */
  INSTALLED;

  private static final String OLDER_JAR = "sluice.postgres.older";

  /** One object for all servers, so that the binaries are unpacked once. */
  private final PgBinaryResolver binaries = this::open;

  /** Whether a server of this version can be started here; always true except for INSTALLED. */
  public boolean isAvailable() {
    return this != INSTALLED || InstalledPostgres.binaries().isPresent();
  }

  PgBinaryResolver binaries() {
    return binaries;
  }

  private InputStream open(String system, String machine) throws IOException {
    String name = "postgres-" + system.toLowerCase(Locale.ROOT) + "-" + machine;
    return this == NEWEST ? onClassPath(name + ".txz") : inJar(olderJar(), name + ".txz");
  }

  private static InputStream onClassPath(String name) throws IOException {
    InputStream stream = PostgresVersion.class.getResourceAsStream("/" + name);
    if (stream == null) {
      throw new FileNotFoundException("no PostgreSQL binaries " + name + " on the class path");
    }
    return stream;
  }

  private static Path olderJar() throws IOException {
    String jar = System.getProperty(OLDER_JAR);
    if (jar == null) {
      throw new FileNotFoundException("system property " + OLDER_JAR + " names no jar");
    }
    return Path.of(jar);
  }

  private static InputStream inJar(Path jar, String name) throws IOException {
    ZipInputStream zip = new ZipInputStream(Files.newInputStream(jar));
    for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
      if (entry.getName().equals(name)) {
        return zip;
      }
    }
    zip.close();
    throw new FileNotFoundException("no PostgreSQL binaries " + name + " in " + jar);
  }
}
