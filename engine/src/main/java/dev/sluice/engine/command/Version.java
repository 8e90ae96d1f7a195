package dev.sluice.engine.command;

import picocli.CommandLine.IVersionProvider;

/** The release that the jar's manifest names, and the version of Java. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
      "sluice " + (version == null ? "(unpackaged)" : version),
      "Java " + System.getProperty("java.version")
    };
  }
}
