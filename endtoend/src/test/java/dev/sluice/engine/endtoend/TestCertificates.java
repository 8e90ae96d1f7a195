package dev.sluice.engine.endtoend;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** An authority of a test's own, with certificates for servers on loopback and for clients. */
final class TestCertificates {
  static final String PASSWORD = "changeit";

  private final Path folder;
  private final Path store;

  private TestCertificates(Path folder) {
    this.folder = folder;
    this.store = folder.resolve("keys.p12");
  }

  static TestCertificates in(Path folder) throws Exception {
    Files.createDirectories(folder);
    TestCertificates made = new TestCertificates(folder);
    made.keytool(
        "-genkeypair", "-alias", "ca", "-keyalg", "RSA", "-dname", "CN=ca", "-ext", "bc:c");
    made.keytool("-exportcert", "-rfc", "-alias", "ca", "-file", made.authority().toString());
    return made;
  }

  /** The authority's own certificate, in PEM. */
  Path authority() {
    return folder.resolve("ca.pem");
  }

  /** Makes a key with a certificate of the authority. */
  void issue(String name) throws Exception {
    keytool(
        "-genkeypair",
        "-alias",
        name,
        "-keyalg",
        "RSA",
        "-dname",
        "CN=" + name,
        "-ext",
        "san=ip:127.0.0.1",
        "-signer",
        "ca");
  }

  /** All keys, with a password. */
  Path store() {
    return store;
  }

  /** The certificate of a name, in PEM. */
  Path certificate(String name) throws Exception {
    byte[] encoded = keys().getCertificate(name).getEncoded();
    return Files.writeString(folder.resolve(name + ".pem"), pem("CERTIFICATE", encoded));
  }

  /** The key of a name in PEM, as PostgreSQL's server wants it. */
  Path key(String name) throws Exception {
    return secret(name + ".key", pem("PRIVATE KEY", encodedKey(name)).getBytes(US_ASCII));
  }

  /** The key of a name in DER, as PostgreSQL's JDBC driver wants it. */
  Path driversKey(String name) throws Exception {
    return secret(name + ".pk8", encodedKey(name));
  }

  /** Both take no key that others can read. */
  private Path secret(String file, byte[] content) throws IOException {
    Path path = Files.write(folder.resolve(file), content);
    return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
  }

  private byte[] encodedKey(String name) throws Exception {
    return keys().getKey(name, PASSWORD.toCharArray()).getEncoded();
  }

  private KeyStore keys() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private static String pem(String kind, byte[] encoded) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
    return "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(kind, text, kind);
  }

  private void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-keystore", store.toString(), "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(command + ": " + output);
    }
  }
}
