package dev.sluice.connector.generic.process;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.kafka.connect.source.SourceConnector;

/**
 * Loads a connector and its libraries from a folder. Of Sluice's own libraries it sees Kafka's and
 * SLF4J only, as in a Connect worker, so the versions of all others may differ. Kept as long as the
 * process, since its drivers stay registered. Threadsafe.
 */
public final class ConnectorFolder {
  /** The SQL state of a session for which there is no driver. */
  public static final String NO_DRIVER = "SLDRV";

  private static final Map<Path, ConnectorFolder> LOADED = new ConcurrentHashMap<>();

  private final Path folder;
  private final ClassLoader loader;

  /**
   * @throws SluiceException.Fatal if it is no folder, or has no jar
   */
  public ConnectorFolder(Path folder) {
    this.folder = folder;
    this.loader = new Isolated(jars(folder), ConnectorFolder.class.getClassLoader());
    // Java registers by itself only the drivers of its own class path.
    ServiceLoader.load(Driver.class, loader).forEach(driver -> {});
  }

  /**
   * The folder of that path, loaded once in a process.
   *
   * @throws SluiceException.Fatal if it is no folder, or has no jar
   */
  public static ConnectorFolder at(Path folder) {
    return LOADED.computeIfAbsent(folder.toAbsolutePath(), ConnectorFolder::new);
  }

  /**
   * A session by the driver of the folder that takes such urls.
   *
   * @throws SQLException also if the folder has no such driver
   */
  public Connection connect(String url, Properties properties) throws SQLException {
    for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
      // Those of Sluice's own class path are of other versions.
      if (driver.getClass().getClassLoader() == loader && driver.acceptsURL(url)) {
        Connection connection = driver.connect(url, properties);
        if (connection != null) {
          return connection;
        }
      }
    }
    throw new SQLException(
        "folder %s has no JDBC driver for %s".formatted(folder, url.replaceFirst("[?;].*", "")),
        NO_DRIVER);
  }

  /** The loader of the connector's classes. */
  ClassLoader loader() {
    return loader;
  }

  /**
   * A new connector.
   *
   * @throws SluiceException.Fatal if the folder has no connector of that class
   */
  public SourceConnector connector(String className) {
    List<String> found = new ArrayList<>();
    for (SourceConnector connector : ServiceLoader.load(SourceConnector.class, loader)) {
      // Those of Kafka's and of Sluice's own class path are visible as well.
      if (connector.getClass().getClassLoader() == loader) {
        if (connector.getClass().getName().equals(className)) {
          return connector;
        }
        found.add(connector.getClass().getName());
      }
    }
    throw new SluiceException.Fatal(
        new Problem(
            "source.debezium.connector-folder " + folder,
            found.isEmpty()
                ? "it has no connector of Kafka Connect"
                : "it has " + String.join(", ", found),
            className,
            "Put the connector's jar and those of its libraries into the folder, as its plugin"
                + " archive has them"));
  }

  private static URL[] jars(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
      if (jars.isEmpty()) {
        throw unusable(folder, "it has no jar");
      }
      List<URL> urls = new ArrayList<>();
      for (Path jar : jars) {
        urls.add(jar.toUri().toURL());
      }
      return urls.toArray(URL[]::new);
    } catch (MalformedURLException e) {
      throw unusable(folder, e.getMessage());
    } catch (IOException | java.io.UncheckedIOException e) {
      throw unusable(folder, "it cannot be read: " + e.getMessage());
    }
  }

  private static SluiceException.Fatal unusable(Path folder, String found) {
    return new SluiceException.Fatal(
        new Problem(
            "source.debezium.connector-folder " + folder,
            found,
            "a folder with the connector's jar and those of its libraries",
            "Unpack the connector's plugin archive there"));
  }

  /** Kafka's and SLF4J's classes are Sluice's own; all others are the folder's. */
  private static final class Isolated extends URLClassLoader {
    private final ClassLoader own;

    Isolated(URL[] jars, ClassLoader own) {
      super("connector", jars, ClassLoader.getPlatformClassLoader());
      this.own = own;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("org.apache.kafka.") || name.startsWith("org.slf4j.")) {
        try {
          return own.loadClass(name);
        } catch (ClassNotFoundException e) {
          // A part of Kafka that Sluice does not have.
        }
      }
      return super.loadClass(name, resolve);
    }
  }
}
