package dev.sluice.connect;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The release that this plugin is of, as the build wrote it down. */
public final class PluginVersion {
  private static final String FILE = "version.properties";

  private PluginVersion() {}

  /** Such as {@code 1.2.0}. */
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
