mod contacts;
mod robots;
