package dev.sluice.connect.version;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The plugin's release, as recorded by the build. */
public final class PluginVersion {
  private static final String FILE = "version.properties";

  private PluginVersion() {}

  /** The release, for example {@code 1.2.0}. */
  public static String text() {
    Properties properties = new Properties();
    try (InputStream file = PluginVersion.class.getResourceAsStream(FILE)) {
      properties.load(file);
    } catch (IOException e) {
      throw new IllegalStateException("BUG: " + FILE + " cannot be read", e);
    }
    return properties.getProperty("version");
  }
}
